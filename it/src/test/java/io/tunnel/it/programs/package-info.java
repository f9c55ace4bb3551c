/** The programs of {@code ./tunnel} as their users run them, and what the documents say of them. */
package io.tunnel.it.programs;
