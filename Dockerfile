# The server, and every other program of ./tunnel, on nothing but a JRE.
#
#   ./tunnel --version                        # builds the programs
#   docker build -t tunnel/server:0.1.0-SNAPSHOT .
#   docker run -v tunnel-data:/data -p 127.0.0.1:7650:7650 tunnel/server:0.1.0-SNAPSHOT
#
# JAVA: any image with a JRE 17 or newer, a shell and useradd.
ARG JAVA=eclipse-temurin:17-jre
FROM ${JAVA}

# A number of its own, so that files in a volume belong to the same user whatever the base image is.
RUN groupadd --system --gid 7650 tunnel \
 && useradd --system --uid 7650 --gid tunnel --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin tunnel \
 && mkdir /data \
 && chown tunnel:tunnel /data

COPY tunnel-cli/target/tunnel/lib /opt/tunnel/lib
COPY tunnel /opt/tunnel/tunnel

USER 7650:7650
VOLUME /data
EXPOSE 7650 7651

# What ./tunnel health asks is the address that the server below listens on.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 CMD ["/opt/tunnel/tunnel", "health"]

ENTRYPOINT ["/opt/tunnel/tunnel"]
# Inside a container only what is published reaches the server, so it listens on all addresses; nobody is authenticated.
CMD ["server", "--data", "/data", "--host", "0.0.0.0", "--insecure"]
