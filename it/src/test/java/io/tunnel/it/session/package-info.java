/** Workers of a server: how channels are shared, moved, paused, rewound and started again. */
package io.tunnel.it.session;
