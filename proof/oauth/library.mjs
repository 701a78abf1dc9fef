// oauth4webapi and openid-client, which hold a server to the standards, as programs use them. It makes the calls that come as lines of
// JSON on standard input, and prints a line for each.
//
//     node library.mjs BASE CALLBACK
import { createInterface } from "node:readline";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";

const [base, callback] = process.argv.slice(2);
const issuer = new URL(`${base}/oauth`);
const resource = new URL(`${base}/mcp/account`);
const http = { [oauth.allowInsecureRequests]: true };
const none = oauth.None();

let as, client, verifier, state, tokens, device, configuration;
const verbs = {
  async discover() {
    const of = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, http));
    as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...http, algorithm: "oauth2" }));
    return { resource: of, server: as };
  },
  async register({ metadata }) {
    const of = { redirect_uris: [callback], token_endpoint_auth_method: "none", ...metadata };
    const got = await oauth.dynamicClientRegistrationRequest(as, of, http);
    return (client = await oauth.processDynamicClientRegistrationResponse(got));
  },
  async authorize({ more }) {
    verifier = oauth.generateRandomCodeVerifier();
    state = oauth.generateRandomState();
    const to = new URL(as.authorization_endpoint);
    const asked = {
      client_id: client.client_id,
      redirect_uri: callback,
      response_type: "code",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      resource: resource.href,
      ...more,
    };
    for (const [name, value] of Object.entries(asked)) to.searchParams.set(name, value);
    return { address: to.href };
  },
  // exchange takes the query of the redirect. It throws if the issuer in it is another's.
  async exchange({ query }) {
    const came = oauth.validateAuthResponse(as, client, new URLSearchParams(query), state);
    const got = await oauth.authorizationCodeGrantRequest(as, client, none, came, callback, verifier, http);
    tokens = await oauth.processAuthorizationCodeResponse(as, client, got);
    return tokens;
  },
  async refresh() {
    tokens = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, none, tokens.refresh_token, http),
    );
    return tokens;
  },
  // use returns the status of a request with the access token, or throws with the challenge.
  async use() {
    const got = await oauth.protectedResourceRequest(tokens.access_token, "GET", new URL(`${base}/v1/whoami`), undefined, undefined, http);
    return { status: got.status };
  },
  async revoke() {
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, none, tokens.refresh_token, http));
    return {};
  },
  async device({ parameters }) {
    const asked = await oauth.deviceAuthorizationRequest(as, client, none, parameters, http);
    device = await oauth.processDeviceAuthorizationResponse(as, client, asked);
    return device;
  },
  async poll() {
    tokens = await oauth.processDeviceCodeResponse(
      as,
      client,
      await oauth.deviceCodeGrantRequest(as, client, none, device.device_code, http),
    );
    return tokens;
  },
  // The rest is openid-client.
  async discoverOpenID({ id }) {
    const with_ = { algorithm: "oauth2", execute: [openid.allowInsecureRequests] };
    configuration = await openid.discovery(issuer, id, undefined, openid.None(), with_);
    return configuration.serverMetadata();
  },
  async deviceOpenID({ parameters }) {
    return (device = await openid.initiateDeviceAuthorization(configuration, parameters));
  },
  pollOpenID: () => openid.pollDeviceAuthorizationGrant(configuration, device),
};

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  const answer = await verbs[call.verb](call).then(
    (answer) => ({ answer }),
    (e) => ({ thrown: `${e.name}: ${e.message} ${e.code ?? ""} ${e.error ?? ""} ${JSON.stringify(e.cause ?? null)}` }),
  );
  console.log(JSON.stringify(answer));
}
