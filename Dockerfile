# The image holds what `npm pack` holds and the native part of SQLite, and nothing of what made them.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# SQLite's binaries come along with it: there is nothing to compile.
RUN npm ci --ignore-scripts
COPY . .
RUN npx rolldown -c && npm pack --ignore-scripts \
  && mkdir /app && tar -xzf paysim-*.tgz -C /app --strip-components=1
# Only what is loaded: SQLite's sources and its binaries for other machines are ten times as large.
RUN mkdir /app/node_modules && cd node_modules && cp -r --parents -t /app/node_modules \
  re2js/package.json re2js/build/index.cjs \
  better-sqlite3/package.json better-sqlite3/lib \
  better-sqlite3/prebuilds/$(node -p '`${process.platform}-${process.arch}`').node

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="paysim" \
  org.opencontainers.image.description="A payments service's staging environment: stateful, deterministic, and able to fail on command." \
  org.opencontainers.image.licenses="MIT"
COPY --from=build /app /app
RUN ln -s /app/dist/main.js /usr/local/bin/paysim && install -d -o node -g node /data
ENV PAYSIM_HOST=0.0.0.0 PAYSIM_DATA=/data
USER node
WORKDIR /app
VOLUME /data
# Staging, and with PAYSIM_PRODUCTION=true a simulation of production.
EXPOSE 4100 4101
# Often, because tests wait for the first one.
HEALTHCHECK --interval=2s --timeout=2s --retries=15 CMD ["paysim", "health"]
ENTRYPOINT ["paysim"]
CMD ["start"]
