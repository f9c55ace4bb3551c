package io.tunnel.programs.demo;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;

/** The table and the tunnel that a demo has made on a server that runs already. */
record MadeTable(String endpoint, String table) implements Interrupt.Remains {

  /** Over connections of its own: those of the demo are in use. */
  @Override
  public String remove() {
    try (TunnelClient client = new TunnelClient(endpoint)) {
      client.deleteTunnel(new DeleteTunnelRequest(table, DemoReader.TUNNEL));
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TUNNEL_NOT_FOUND) {
        throw e;
      }
    }
    try (TableClient client = TableClient.connect(endpoint)) {
      client.dropTable(table);
    }
    return "";
  }
}
