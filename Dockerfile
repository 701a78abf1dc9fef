FROM golang:1.26.8-trixie AS build
WORKDIR /src
COPY go.mod go.sum ./
ENV GOWORK=off
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/sandlot ./cmd/sandlot && mkdir /out/data

# Nothing but the program, the certificates with which it knows mail servers and stores, and a folder that its user may write.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/sandlot /sandlot
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV SANDLOT_DATA=/data SANDLOT_LISTEN=:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 CMD ["/sandlot", "health"]
ENTRYPOINT ["/sandlot"]
CMD ["serve"]
