/** A server in the tests' memory that speaks the real frames and does what a test tells it. */
package io.tunnel.sdk.fake;
