/**
 * The documents run. {@link io.tunnel.it.docs.Page} cuts a document into its blocks, {@link
 * io.tunnel.it.docs.PageTerminal} runs commands and programs as a reader would, and {@link
 * io.tunnel.it.docs.DocumentsTest} does so for every page.
 */
package io.tunnel.it.docs;
