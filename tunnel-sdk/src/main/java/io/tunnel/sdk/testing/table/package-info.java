/**
 * Tables in the memory of a test: their rows and changes, what may be read of them, and what
 * channels deliver of them. Internal to the test kit: may change in any version.
 */
package io.tunnel.sdk.testing.table;
