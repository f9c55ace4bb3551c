/** Programs that measure some figures of several, each on a ground of its own. */
package io.tunnel.bench.figures;
