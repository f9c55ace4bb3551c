/** Where the sources and pages are that the rules read. */
package io.tunnel.texts;
