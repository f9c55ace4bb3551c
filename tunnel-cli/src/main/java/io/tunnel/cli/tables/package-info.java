/** {@code tunnel tables}: tables and single rows, for operators. */
package io.tunnel.cli.tables;
