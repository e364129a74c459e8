import type { ModelConnection } from '@parley/client/schemas'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { outdate, read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { type Connectable, properNameOf } from './provider-list.ts'

const t = translator('models')

export function useConnections() {
  const { organization } = useHere()
  return useQuery(read('GET /api/llm/connections/list', { org_id: organization.id, limit: 100 }))
}

export interface NewConnection {
  provider: Connectable
  /** The name of a known server. By default, the connection is named after its provider. */
  server?: string | undefined
  apiKey: string
  baseUrl: string
}

/**
 * Returns a function that creates a connection, named after its server or provider. The caller must outdate the list of
 * connections.
 */
export function useCreateConnection(): (given: NewConnection) => Promise<ModelConnection> {
  const { organization } = useHere()
  const { data } = useConnections()
  return ({ provider, server, apiKey, baseUrl }) =>
    api.request('POST /api/llm/connections/create', {
      query: { org_id: organization.id },
      body: {
        name: freeName(server ?? connectionName(provider), data?.data ?? []),
        provider,
        ...(apiKey.trim() !== '' && { api_key: apiKey.trim() }),
        ...(baseUrl.trim() !== '' && { base_url: baseUrl.trim() }),
      },
    })
}

const connectionName = (provider: Connectable): string =>
  properNameOf(provider) ?? t('provider.openai-compatible')

function freeName(name: string, taken: readonly ModelConnection[]): string {
  const isTaken = (one: string) => taken.some((connection) => connection.name === one)
  let free = name
  for (let number = 2; isTaken(free); number += 1) free = `${name} ${number}`
  return free
}

/**
 * Creates a connection and reads the models that it offers, which proves its key. If they cannot be read, deletes the
 * connection.
 */
export function useConnect(onDone: (connection: ModelConnection) => void) {
  const client = useQueryClient()
  const create = useCreateConnection()
  return useMutation({
    mutationFn: async (given: NewConnection) => {
      const connection = await create(given)
      const query = { connection_id: connection.id }
      try {
        await client.fetchQuery({ ...read('GET /api/llm/connections/list_models', query), retry: false })
      } catch (error) {
        await api.request('DELETE /api/llm/connections/delete', { query }).catch(() => {})
        throw error
      }
      return connection
    },
    onSuccess(connection) {
      onDone(connection)
      return outdate(client, 'GET /api/llm/connections/list')
    },
  })
}
