// An official client of the Model Context Protocol with a handler for OAuth, as the program of an agent has it. It makes the calls that
// come as lines of JSON on standard input, and prints a line for each.
//
//     node client.mjs ADDRESS first|legacy|auto|pinned CALLBACK [METADATA-DOCUMENT]
import { createInterface } from "node:readline";

const [address, kind, callback, clientMetadataUrl] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  kind === "first"
    ? {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      }
    : await import("@modelcontextprotocol/client");
const mode = kind === "pinned" ? { pin: "2026-07-28" } : kind;

const kept = {};
const provider = {
  redirectUrl: callback,
  clientMetadataUrl,
  clientMetadata: {
    client_name: `Client ${kind}`,
    redirect_uris: [callback],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => (kept.state = crypto.randomUUID()),
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  redirectToAuthorization: (url) => void (kept.authorize = String(url)),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (state) => void (kept.discovery = state),
};

let client, transport;
async function connect() {
  client = new Client({ name: "agent", version: "1.0.0" }, kind === "first" ? {} : { versionNegotiation: { mode } });
  transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
  await client.connect(transport);
}

const verbs = {
  // begin returns the address for the browser.
  async begin() {
    const thrown = await connect().then(() => "nothing", (e) => e.message + e.constructor.name);
    if (!kept.authorize) throw new Error(`no authorization is asked for, but ${thrown}`);
    return { authorize: kept.authorize };
  },
  // finish takes the query of the redirect.
  async finish({ query }) {
    const came = new URLSearchParams(query);
    if (came.get("state") !== kept.state) throw new Error("another state");
    await transport.finishAuth(kind === "first" ? came.get("code") : came);
    await connect();
    return kept.tokens;
  },
  call: ({ name, arguments: given }) => client.callTool({ name, arguments: given }),
  // expire has the next call be refused, so that the client refreshes.
  async expire() {
    kept.tokens = { ...kept.tokens, access_token: `slo_${"a".repeat(36)}` };
    return {};
  },
  tokens: async () => kept.tokens,
};

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  const answer = await verbs[call.verb](call).then(
    (answer) => ({ answer }),
    (e) => ({ thrown: `${e.name}: ${e.message}` }),
  );
  console.log(JSON.stringify(answer));
}
