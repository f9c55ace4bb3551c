/** The user's text files: UTF-8 that is read strictly, and CSV whose errors name their lines. */
package io.tunnel.terminal.file;
