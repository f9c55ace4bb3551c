/** Programs that measure some figures of several, each on servers of its own. */
package io.tunnel.bench.figures;
