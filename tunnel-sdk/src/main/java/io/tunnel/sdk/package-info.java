/** What users compile against: clients of tables and tunnels, and the worker for processors. */
package io.tunnel.sdk;
