/** Test kit. */
package io.tunnel.sdk.testing;
