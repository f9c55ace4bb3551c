package io.tunnel.server.replica.shared;

import io.tunnel.codec.ChangeBatch;

/**
 * A put or a delete without a condition, as it stands in the batch that its writer sent. The leader
 * that appended the row still holds the batch, so it need not decode the row from the record that
 * it reads back.
 *
 * @param rowOffset where the row starts in the batch's array, its length included
 * @param rowEnd where it ends
 */
public record BatchRow(ChangeBatch batch, int rowOffset, int rowEnd) {}
