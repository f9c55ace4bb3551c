/**
 * Tables in the memory of a test: rows, changes, reads, and the sources of channels. Internal to
 * the test kit: may change in any version.
 */
package io.tunnel.sdk.testing.table;
