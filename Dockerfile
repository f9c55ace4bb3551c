# The server, and every other program of ./tunnel, on nothing but a JRE.
#
#   ./tunnel --version                        # builds the programs
#   docker build -t tunnel/server:0.2.0-SNAPSHOT .
#   docker run --rm -v tunnel-data:/data tunnel/server:0.2.0-SNAPSHOT security init --dir /data/security --name localhost
#   docker run --name tunnel -v tunnel-data:/data -p 127.0.0.1:7650:7650 tunnel/server:0.2.0-SNAPSHOT
#   docker exec tunnel /opt/tunnel/tunnel tables list --profile /data/security/admin.json
#
# Take authority.key and admin.json out of the volume then, to where certificates and keys are made (docs/operate/security.md).
#
# JAVA: any image with a JRE 17 or newer, a shell and useradd.
ARG JAVA=eclipse-temurin:17-jre
FROM ${JAVA}

# A number of its own, so that files in a volume belong to the same user whatever the base image is.
RUN groupadd --system --gid 7650 tunnel \
 && useradd --system --uid 7650 --gid tunnel --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin tunnel \
 && mkdir /data \
 && chown tunnel:tunnel /data

COPY tunnel-cli/target/tunnel/lib bench/programs/target/tunnel/lib /opt/tunnel/lib/
COPY tunnel /opt/tunnel/tunnel
# The first start records which classes the programs load, so that later ones start in less time; the user below may not write
# there.
RUN /opt/tunnel/tunnel --version && /opt/tunnel/tunnel server --version

USER 7650:7650
VOLUME /data
EXPOSE 7650 7651

# What ./tunnel health asks is the address that the server below listens on, with TLS when it is closed.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
  CMD if [ -f "${TUNNEL_AUTHORITY:=/data/security/authority.crt}" ]; then export TUNNEL_AUTHORITY; else unset TUNNEL_AUTHORITY; fi; \
      exec /opt/tunnel/tunnel health

ENTRYPOINT ["/opt/tunnel/tunnel"]
# It listens on all addresses of the container, so it is closed, with the directory /data/security. For one that asks nobody who
# they are: server --data /data --host 0.0.0.0 --insecure
CMD ["server", "--data", "/data", "--host", "0.0.0.0", "--auth"]
