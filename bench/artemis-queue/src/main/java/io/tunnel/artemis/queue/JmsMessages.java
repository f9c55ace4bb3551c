package io.tunnel.artemis.queue;

import io.tunnel.programs.bench.seeds.queue.Arrivals;
import io.tunnel.programs.bench.seeds.queue.MessageCase;
import io.tunnel.programs.bench.seeds.queue.MessageHeader;
import io.tunnel.programs.bench.seeds.queue.Messages;
import io.tunnel.stress.LoadClock;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Messages through JMS, as its users send them: a session for each sender and receiver, and a
 * listener for each receiver. A sender of messages that are neither persistent nor transacted does
 * not wait for the broker, but for the window of its flow control.
 */
final class JmsMessages implements Messages {

  private final MessageCase what;
  private final String prefix;
  private final LoadClock clock;
  private final ActiveMQConnectionFactory factory;
  private final List<Connection> sending = new ArrayList<>();
  private final List<Connection> receiving = new ArrayList<>();
  private final List<Subscription> subscriptions = new ArrayList<>();

  /** What a durable subscriber leaves unless it is removed. */
  private record Subscription(Session session, MessageConsumer consumer, String name) {}

  private JmsMessages(String broker, MessageCase what, String prefix, LoadClock clock) {
    this.what = what;
    this.prefix = prefix;
    this.clock = clock;
    this.factory = new ActiveMQConnectionFactory(broker);
  }

  /** Connects. The broker makes destinations when they are first used. */
  static JmsMessages open(String broker, MessageCase what, String prefix, LoadClock clock)
      throws JMSException {
    JmsMessages messages = new JmsMessages(broker, what, prefix, clock);
    try {
      messages.factory.setConsumerWindowSize(what.receiveWindowBytes());
      for (int number = 0; number < what.connections(); number++) {
        messages.sending.add(messages.factory.createConnection());
        Connection receiving = messages.factory.createConnection();
        messages.receiving.add(receiving);
        receiving.setClientID(prefix + "-" + number);
        receiving.start();
      }
      return messages;
    } catch (JMSException | RuntimeException e) {
      messages.close();
      throw e;
    }
  }

  private Destination destination(Session session, int number) throws JMSException {
    String name = prefix + "." + what.destinationOf(number);
    return what.way().isTopic() ? session.createTopic(name) : session.createQueue(name);
  }

  private Session session(Connection connection) throws JMSException {
    return what.way().isTransacted()
        ? connection.createSession(true, Session.SESSION_TRANSACTED)
        : connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  @Override
  public void receive(Arrivals arrivals) throws JMSException {
    for (int number = 0; number < what.receivers(); number++) {
      Session session = session(receiving.get(what.connectionOf(number)));
      MessageConsumer consumer = consumer(session, number);
      consumer.setMessageListener(
          new Receiver(session, arrivals.stream("receiver" + number), arrivals));
    }
  }

  private MessageConsumer consumer(Session session, int number) throws JMSException {
    Destination destination = destination(session, number);
    if (!what.way().isDurable()) {
      return session.createConsumer(destination);
    }
    String name = "subscriber" + number;
    MessageConsumer consumer = session.createDurableConsumer((Topic) destination, name);
    subscriptions.add(new Subscription(session, consumer, name));
    return consumer;
  }

  /** Takes the messages of one receiver. JMS calls it on one thread at a time. */
  private final class Receiver implements MessageListener {

    private final Session session;
    private final Arrivals.Stream stream;
    private final Arrivals arrivals;
    private int uncommitted;

    Receiver(Session session, Arrivals.Stream stream, Arrivals arrivals) {
      this.session = session;
      this.stream = stream;
      this.arrivals = arrivals;
    }

    @Override
    public void onMessage(Message message) {
      try {
        BytesMessage bytes = (BytesMessage) message;
        stream.arrived(new MessageHeader(bytes.readInt(), bytes.readLong(), bytes.readLong()));
        uncommitted++;
        if (what.way().isTransacted() && uncommitted == MessageCase.TRANSACTION_MESSAGES) {
          uncommitted = 0;
          session.commit();
        }
      } catch (JMSException | RuntimeException e) {
        arrivals.failed(e);
      }
    }
  }

  @Override
  public Sender sender(int number) throws JMSException {
    Session session = session(sending.get(what.connectionOf(number)));
    MessageProducer producer = session.createProducer(destination(session, number));
    producer.setDeliveryMode(
        what.way().isPersistent() ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    byte[] filled = new byte[what.bytes() - MessageHeader.BYTES];
    Arrays.fill(filled, (byte) 'x');
    return new JmsSender(session, producer, number, filled);
  }

  private final class JmsSender implements Sender {

    private final Session session;
    private final MessageProducer producer;
    private final int number;
    private final byte[] filled;

    JmsSender(Session session, MessageProducer producer, int number, byte[] filled) {
      this.session = session;
      this.producer = producer;
      this.number = number;
      this.filled = filled;
    }

    @Override
    public void send(long first, int count) throws JMSException {
      long sentNanos = clock.nanos();
      for (long each = first; each < first + count; each++) {
        BytesMessage message = session.createBytesMessage();
        message.writeInt(number);
        message.writeLong(each);
        message.writeLong(sentNanos);
        message.writeBytes(filled);
        producer.send(message);
      }
      if (what.way().isTransacted()) {
        session.commit();
      }
    }

    @Override
    public void flush() {
      // What is missing at the receivers is what the broker does not have.
    }

    @Override
    public void close() {
      try {
        session.close();
      } catch (JMSException e) {
        throw new IllegalStateException("a session was not closed", e);
      }
    }
  }

  @Override
  public void close() {
    try {
      for (Subscription each : subscriptions) {
        each.consumer().close();
        each.session().unsubscribe(each.name());
      }
      for (Connection each : receiving) {
        each.close();
      }
      for (Connection each : sending) {
        each.close();
      }
    } catch (JMSException e) {
      throw new IllegalStateException("destinations were not closed", e);
    } finally {
      factory.close();
    }
  }
}
