/** Creates tables and pre-splits them, planning before it acts. */
package io.tunnel.partition;
