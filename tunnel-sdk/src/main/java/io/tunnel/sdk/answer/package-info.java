/**
 * What the service answers, as users are shown it: the one place where payloads of {@code
 * io.tunnel.wire} become types of the SDK, and back. So the protocol may change without the API.
 */
package io.tunnel.sdk.answer;
