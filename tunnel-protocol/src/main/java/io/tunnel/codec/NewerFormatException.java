package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import java.util.Optional;

/**
 * Bytes are intact, and say something that this build does not know: a newer build wrote them. The
 * reader changes nothing and names what it met; an upgrade of the reader is what helps.
 */
public final class NewerFormatException extends MalformedException {

  private static final long serialVersionUID = 1L;

  /** Null if unknown; not an {@link Optional}, which cannot be serialised. */
  private final FormatFeature feature;

  /** For an unknown thing that is no attribute, for example "a batch of format 2". */
  public NewerFormatException(String what) {
    this(ErrorCode.INVALID_REQUEST, what, Optional.empty());
  }

  /**
   * For an unknown attribute, with the code {@link ErrorCode#FEATURE_NOT_ENABLED}.
   *
   * @param feature the feature for which the attribute's number is reserved, if any
   */
  NewerFormatException(String what, Optional<FormatFeature> feature) {
    this(ErrorCode.FEATURE_NOT_ENABLED, what, feature);
  }

  private NewerFormatException(ErrorCode code, String what, Optional<FormatFeature> feature) {
    super(
        code, what + ", which this build does not know: a newer build wrote it; upgrade this one");
    this.feature = feature.orElse(null);
  }

  /** The feature of a higher level, if this build has reserved its attribute. */
  public Optional<FormatFeature> feature() {
    return Optional.ofNullable(feature);
  }
}
