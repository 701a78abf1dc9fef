// An official client of the Model Context Protocol without a handler for OAuth, as the program of an agent has it. It makes the calls that
// come as lines of JSON on standard input, and prints a line for each.
//
//     node agent.mjs ADDRESS first|legacy|auto|pinned
import { createInterface } from "node:readline";

const [address, kind] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  kind === "first"
    ? {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      }
    : await import("@modelcontextprotocol/client");
const mode = kind === "pinned" ? { pin: "2026-07-28" } : kind;

let client;
const verbs = {
  async connect({ key }) {
    client = new Client({ name: "agent", version: "1.0.0" }, kind === "first" ? {} : { versionNegotiation: { mode } });
    const headers = key ? { Authorization: `Bearer ${key}` } : {};
    const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });
    await client.connect(transport);
    return { version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion, instructions: client.getInstructions() };
  },
  tools: () => client.listTools(),
  call: ({ name, arguments: given }) => client.callTool({ name, arguments: given }),
  read: ({ uri }) => client.readResource({ uri }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  const answer = await verbs[call.verb](call).then(
    (answer) => ({ answer }),
    (e) => ({ thrown: `${e.name}: ${e.message}` }),
  );
  console.log(JSON.stringify(answer));
}
