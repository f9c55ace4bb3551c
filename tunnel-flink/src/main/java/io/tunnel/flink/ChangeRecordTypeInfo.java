package io.tunnel.flink;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's type information of {@link ChangeRecord}. */
public final class ChangeRecordTypeInfo extends TypeInformation<ChangeRecord> {

  private static final long serialVersionUID = 1L;

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public Class<ChangeRecord> getTypeClass() {
    return ChangeRecord.class;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<ChangeRecord> createSerializer(SerializerConfig config) {
    return ChangeRecordSerializer.INSTANCE;
  }

  @Override
  public String toString() {
    return "ChangeRecord";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChangeRecordTypeInfo;
  }

  @Override
  public int hashCode() {
    return ChangeRecordTypeInfo.class.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof ChangeRecordTypeInfo;
  }
}
