import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface HttpsAnswer {
  status?: number
  headers?: Record<string, string>
  body: string
}

export interface HttpsSite {
  /** The origin `https://127.0.0.1` with the port. */
  url: string
  /** The self-signed certificate, to be trusted through NODE_EXTRA_CA_CERTS. */
  certificate: string
  /** Responses by path. All other paths return 404. */
  answers: Map<string, HttpsAnswer>
  close(): Promise<void>
}

/** Starts a website on loopback that only supports HTTPS. */
export async function startHttpsSite(): Promise<HttpsSite> {
  const { key, certificate } = makeCertificate()
  const answers = new Map<string, HttpsAnswer>()
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const { status = 200, headers, body } = answers.get(request.url ?? '') ?? { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const [INTEGER, BIT_STRING, OCTET_STRING, OID, UTF8, SEQUENCE, SET, UTC_TIME] = [
  0x02, 0x03, 0x04, 0x06, 0x0c, 0x30, 0x31, 0x17,
]
const ED25519 = '2b6570'
const COMMON_NAME = '550403'
const SUBJECT_ALT_NAME = '551d11'
/**
 * Context-specific DER tags: an IP address in SubjectAltName, and the version and the extensions of a certificate.
 */
const IP_ADDRESS = 0x87
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** Returns a self-signed certificate for 127.0.0.1 (RFC 5280, 4.1; RFC 8410), valid from yesterday to tomorrow. */
function makeCertificate(): { key: string; certificate: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(SEQUENCE, der(OID, hex(ED25519)))
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OID, hex(COMMON_NAME)), der(UTF8, Buffer.from('127.0.0.1')))),
  )
  const alternative = der(SEQUENCE, der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])))
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(-1), utcTime(1)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(
      EXTENSIONS,
      der(SEQUENCE, der(SEQUENCE, der(OID, hex(SUBJECT_ALT_NAME)), der(OCTET_STRING, alternative))),
    ),
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign(null, content, privateKey))
  const bytes = der(SEQUENCE, content, algorithm, signature)
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex')

/** Encodes the time `days` from now as UTCTime. */
function utcTime(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(UTC_TIME, Buffer.from(`${digits}Z`))
}

/** Encodes a value in DER (X.690): tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const long = Buffer.from([0x82, length >> 8, length & 0xff])
  return Buffer.concat([Buffer.from([tag]), length < 0x80 ? Buffer.from([length]) : long, content])
}
