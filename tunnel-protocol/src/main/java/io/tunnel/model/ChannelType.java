package io.tunnel.model;

/** The contents of a channel. */
public enum ChannelType {
  /** The rows of a partition as they were at one time, in the order of their keys. */
  BaseData,
  /** The changes of a partition, in the order of their positions. */
  Stream
}
