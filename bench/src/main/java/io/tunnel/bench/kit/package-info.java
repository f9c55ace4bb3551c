/** What a test pays for the service in its memory. */
package io.tunnel.bench.kit;
