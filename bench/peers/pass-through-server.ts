import { Agent, createServer, request } from 'node:http'

const BACKLOG = 1024

const provider = new URL(process.env['PROVIDER_URL'] ?? 'http://127.0.0.1:9000')
const agent = new Agent({ keepAlive: true, maxFreeSockets: BACKLOG })

const server = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming
  const forwarded = request({ host: provider.hostname, port: provider.port, agent, method, path, headers })
  forwarded.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] })
    answer.pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  outgoing.on('close', () => outgoing.writableFinished || forwarded.destroy())
  forwarded.setNoDelay(true)
  incoming.pipe(forwarded)
})

server.listen(Number(process.env['PORT']), '127.0.0.1', BACKLOG)
