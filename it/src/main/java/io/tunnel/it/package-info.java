/** Tests of how the modules fit together; there is nothing here besides tests. */
package io.tunnel.it;
