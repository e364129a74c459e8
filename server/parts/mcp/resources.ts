import { rm } from 'node:fs/promises'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { McpConnection } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { listResources, readResource } from '#platform/mcp/read-resources.ts'
import { writeLocalFile } from '#platform/storage/local-file.ts'
import { storeUpload } from '#platform/storage/store-upload.ts'
import type { UploadView } from '#platform/storage/view-upload.ts'
import { noteNeededScope } from './credentials.ts'
import type { McpDependencies } from './dependencies.ts'
import type { InstanceFinder } from './instances-system.ts'
import type { ResourceList } from './schemas.ts'

/** Timeout for listing or reading resources, in milliseconds. */
const TIMEOUT_MS = 20_000

/** Lists the resources that a server offers to the caller's own instance. Throws like `withInstance`. */
export async function resourcesOf(
  deps: McpDependencies,
  finder: InstanceFinder,
  scope: Scope<'mcp:write'>,
  instanceId: string,
): Promise<ResourceList> {
  const resources = await withInstance(deps, finder, scope, instanceId, listResources)
  return {
    resources: resources.map(({ mimeType, ...resource }) => ({ ...resource, content_type: mimeType })),
  }
}

/**
 * Reads a resource with the caller's own instance, and stores it as an upload of the caller. Throws
 * mcp.resource_empty, request.file_too_large, access.missing_permission, and the errors of `withInstance` and
 * `storeUpload`.
 */
export async function attachResource(
  deps: McpDependencies,
  finder: InstanceFinder,
  scope: Scope<'mcp:write'>,
  instanceId: string,
  uri: string,
): Promise<UploadView> {
  if (!scope.holds('chats:write')) throw fail('access.missing_permission', { permission: 'chats:write' })
  const file = await withInstance(deps, finder, scope, instanceId, (connection, signal) =>
    readResource(connection, uri, signal),
  )
  if (!file) throw fail('mcp.resource_empty')
  const { dataDir, maxUploadBytes: limit } = deps.config
  if (file.data.length > limit) throw fail('request.file_too_large', { limit })
  const local = await writeLocalFile(dataDir, file.data)
  try {
    return await storeUpload(deps, scope, { ...local, name: file.name })
  } finally {
    await rm(local.path, { force: true })
  }
}

/**
 * Runs `work` on a connection of the caller's own instance. Throws mcp.instance_inactive, mcp.timed_out,
 * mcp.resource_refused, mcp.server_failed.
 */
async function withInstance<Result>(
  deps: McpDependencies,
  finder: InstanceFinder,
  { userId, organizationId }: Scope<'mcp:write'>,
  instanceId: string,
  work: (connection: McpConnection, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [instance] = await finder.findOwn(userId, organizationId, [instanceId], 'mcp:write')
  if (!instance) throw fail('mcp.instance_inactive')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await work(await deps.connections.open(instance.endpoint, signal), signal)
  } catch (error) {
    if (error === signal.reason) throw fail('mcp.timed_out')
    if (!(error instanceof McpError)) throw error
    noteNeededScope(deps, instance, error)
    const { kind, message: reason } = error
    if (kind === 'timeout') throw fail('mcp.timed_out')
    throw fail(kind === 'protocol' || kind === 'refused' ? 'mcp.resource_refused' : 'mcp.server_failed', {
      reason,
    })
  }
}
