import { breakDatabase } from './break-database.ts'
import { SecretFinder } from './find-secrets.ts'
import { misplaceSecrets } from './misplaced-secrets.ts'
import { findPermission, PERMITTED, type Permission } from './permitted-places.ts'
import type { Row } from './row.ts'
import type { Place } from './secret-places.ts'
import { openTarget, type Target } from './secret-target.ts'
import { confirmOwner, tryAccounts } from './secrets-of-accounts.ts'
import { tryConnections } from './secrets-of-mcp.ts'
import { takeExports, tryServices } from './secrets-of-services.ts'

/**
 * Searches all output of the product for secrets of clients, of operators and of the product itself. Searches logs,
 * tables, files, responses, exports, traces, metrics, email and requests to other servers.
 */
export const plantedSecrets: Row = {
  name: 'planted-secrets',
  cases: { full: Number.POSITIVE_INFINITY, commit: 100 },
  async run(stage, { seed, cases }) {
    const target = await openTarget(stage)
    try {
      await confirmOwner(target)
      await Promise.all([tryAccounts(target), tryServices(target), tryConnections(target)])
      await misplaceSecrets(target, { seed, requestsMax: cases })
      await breakDatabase(target)
      await takeExports(target)
      return { cases: target.plants.secrets.length, failures: search(target, await target.collect()) }
    } finally {
      await target.close()
    }
  },
  brokenBy: [
    {
      without: 'errors without their values in the log',
      edits: [
        {
          file: 'server/platform/telemetry/log.ts',
          text: 'err: (error: unknown) => describeError(error, 0)',
          replacement: 'err: pino.stdSerializers.err',
        },
      ],
    },
    {
      without: 'requests without their headers in the log',
      edits: [
        {
          file: 'server/platform/telemetry/watch-requests.ts',
          text: "request.log.info(line, 'request')",
          replacement: "request.log.info({ ...line, headers: request.headers }, 'request')",
        },
      ],
    },
    {
      without: 'paths without their query in traces',
      edits: [
        {
          file: 'server/platform/telemetry/watch-requests.ts',
          text: '[NAMES.path]: pathOf(request.originalUrl)',
          replacement: '[NAMES.path]: request.originalUrl',
        },
      ],
    },
    {
      without: 'encryption at rest',
      edits: [
        {
          file: 'server/platform/secrets/secrets.ts',
          text: "sealed.toString('base64url')",
          replacement: "Buffer.from(plain).toString('base64url')",
        },
        {
          file: 'server/platform/secrets/secrets.ts',
          text: '  const decipher = createDecipheriv',
          replacement: '  return bytes.toString()\n  const decipher = createDecipheriv',
        },
      ],
    },
    {
      without: 'hashes of tokens and keys',
      edits: [
        {
          file: 'server/platform/secrets/secrets.ts',
          text: "createHash('sha256').update(token).digest('base64url')",
          replacement: 'token',
        },
      ],
    },
    {
      without: 'the masking of keys in provider errors',
      edits: [
        {
          file: 'server/platform/models/failures.ts',
          text: "read.replaceAll(secret, '***'))\n    .replace(KEY_LIKE, (run) => (isOfKey(secret ?? '', run) ? '***' : run))",
          replacement: 'read)',
        },
      ],
    },
    {
      without: 'the masking of credentials in MCP responses',
      edits: [
        {
          file: 'server/platform/mcp/watched-transport.ts',
          text: 'shown.hide(roundForSdk(received))',
          replacement: 'received',
        },
      ],
    },
    {
      without: 'the masking of secrets in tool results',
      edits: [
        {
          file: 'server/parts/tools/run-tool.ts',
          text: "maskOf('error' in configured ? [] : configured.secrets)",
          replacement: 'maskOf([])',
        },
      ],
    },
  ],
}

/**
 * Searches every place for every secret. Returns one line for each secret that is found in a place without
 * permission.
 */
function search({ plants }: Target, places: readonly Place[]): string[] {
  const finder = new SecretFinder(plants.secrets)
  const failures = new Set<string>()
  const used = new Set<Permission>()
  for (const { name, text } of places)
    for (const [{ kind }, at] of finder.in(text)) {
      const permission = findPermission(kind, name)
      if (permission) used.add(permission)
      else failures.add(`${kind} in ${name}: ${JSON.stringify(text.slice(Math.max(0, at - 100), at + 60))}`)
    }
  const unused = PERMITTED.filter((permission) => !used.has(permission))
  return [...failures, ...unused.map(({ kinds, places: where }) => `no ${kinds} found in ${where}`)]
}
