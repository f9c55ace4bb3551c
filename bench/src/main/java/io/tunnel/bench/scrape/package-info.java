/**
 * What a page of metrics costs a server with many tunnels: the program is {@link
 * io.tunnel.bench.scrape.ScrapeMain}.
 */
package io.tunnel.bench.scrape;
