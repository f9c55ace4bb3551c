/** What is typed behind options of several commands: keys and moments. */
package io.tunnel.cli.arguments;
