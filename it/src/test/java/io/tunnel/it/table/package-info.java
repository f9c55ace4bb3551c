/**
 * What a server keeps of tables: writes in doubt, retention, losses of power, what is durable when.
 */
package io.tunnel.it.table;
