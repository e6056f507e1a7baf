// The peer that a Node team would write: node:http on both sides, streams joined, connections kept. One process, as Node
// is deployed per core behind a balancer; with WORKERS of them the cluster module shares the port.
import cluster from "node:cluster";
import http from "node:http";

const [port, platformPort, workers] = process.argv.slice(2).map(Number);

if (cluster.isPrimary && workers > 1) {
  for (let i = 0; i < workers; i++) cluster.fork();
  process.on("SIGTERM", () => process.exit(0));
} else {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  http
    .createServer((request, response) => {
      const { method, url: path, headers } = request;
      const upstream = http.request({ host: "127.0.0.1", port: platformPort, method, path, headers, agent }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      upstream.on("error", () => response.headersSent ? response.destroy() : response.writeHead(502).end());
      request.on("error", () => upstream.destroy());
      request.pipe(upstream);
    })
    .listen(port, "127.0.0.1");
}
