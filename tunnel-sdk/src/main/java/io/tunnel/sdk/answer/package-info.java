/**
 * Converts the payloads of {@code io.tunnel.wire} to the types that users see, and back, so that
 * the protocol can change without the API. Only the security client converts its own payloads.
 */
package io.tunnel.sdk.answer;
