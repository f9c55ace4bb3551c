/** What a {@link io.tunnel.sdk.Watch} follows, from where, and what it returns. */
package io.tunnel.sdk.watch;
