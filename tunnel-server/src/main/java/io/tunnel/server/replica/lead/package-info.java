/**
 * The part of a replica that leads its partition: claims, makes groups of the writes that wait,
 * appends them one at a time, and answers them ({@link io.tunnel.server.replica.lead.Leader}).
 */
package io.tunnel.server.replica.lead;
