# The image holds what `npm pack` holds and the native part of SQLite, and nothing of what made them.

# For another machine than this one only the second stage is emulated. Node under emulation dies of instructions that the
# emulator does not know, so Node runs in this stage alone.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS package
WORKDIR /build
COPY package.json package-lock.json ./
# SQLite's binaries come along with it: there is nothing to compile.
RUN npm ci --ignore-scripts
COPY . .
RUN npx rolldown -c && npm pack --ignore-scripts \
  && mkdir /app && tar -xzf paysim-*.tgz -C /app --strip-components=1 \
  && sed -i '1s|.*|#!/usr/local/bin/node|' /app/dist/main.js
# Only what is loaded: SQLite's sources and its binaries for other machines are ten times as large.
ARG TARGETARCH
RUN mkdir /app/node_modules && cd node_modules && cp -r --parents -t /app/node_modules \
  re2js/package.json re2js/build/index.cjs \
  better-sqlite3/package.json better-sqlite3/lib \
  better-sqlite3/prebuilds/linux-$(echo $TARGETARCH | sed s/amd64/x64/).node

# Node's compile cache, made by the user that the image has: a start by another user is as fast as without. It holds what has been
# called, so a scenario is played. Where the image is for another machine, it stays empty.
ARG BUILDARCH
RUN install -d -o node -g node /app/compile-cache && if [ "$TARGETARCH" = "$BUILDARCH" ]; then su node -c '\
  export NODE_COMPILE_CACHE=/app/compile-cache; /app/dist/main.js start --log silent & \
  until /app/dist/main.js health 2>/dev/null; do sleep 0.2; done && \
  /app/dist/main.js run --target http://127.0.0.1:4100 /app/scenarios/first-refund.yaml && kill $! && wait $!'; fi

# Of the system only what Node and SQLite load, and who the user is. Node's symbols, which only a debugger reads, are 18 MB.
FROM node:24-bookworm-slim AS image
RUN apt-get update && apt-get install -y --no-install-recommends binutils
COPY --from=package /app /image/app
RUN mkdir -p /image/usr/local/bin /image/etc /image/tmp \
  && strip -o /image/usr/local/bin/node /usr/local/bin/node \
  && for library in $(ldd /usr/local/bin/node $(find /image/app -name '*.node') | grep -o '/lib[^ ]*' | sort -u); do cp -L --parents $library /image; done \
  && grep -E '^(root|node):' /etc/passwd > /image/etc/passwd && grep -E '^(root|node):' /etc/group > /image/etc/group \
  && ln -s /app/dist/main.js /image/usr/local/bin/paysim \
  && chmod 1777 /image/tmp && install -d -o node -g node /image/data

FROM scratch
# A release says them; built by hand, --build-arg REVISION="$(git rev-parse HEAD)" does.
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="paysim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.description="A payments service's staging environment: stateful, deterministic, and able to fail on command." \
  org.opencontainers.image.licenses="MIT"
COPY --from=image /image /
# Without PAYSIM_DATA=/data everything is in memory, so that each start begins from the same state.
ENV PATH=/usr/local/bin PAYSIM_HOST=0.0.0.0 NODE_COMPILE_CACHE=/app/compile-cache
USER 1000:1000
WORKDIR /app
EXPOSE 4100 4101
# Often, because tests wait for the first one.
HEALTHCHECK --interval=2s --timeout=2s --retries=15 CMD ["paysim", "health"]
ENTRYPOINT ["paysim"]
CMD ["start"]
