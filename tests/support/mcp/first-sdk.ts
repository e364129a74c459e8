import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  Server,
} from '#tests/clients/mcp-server.ts'
import { capabilitiesOf, findTool, listResources, type Offered, pageOf, readResource } from './index.ts'

/** Creates the SDK 1 server of one session. */
export function createFirstSdkServer(offered: Offered): Server {
  const server = new Server(
    { name: 'first-sdk', version: '1.0.0' },
    { capabilities: capabilitiesOf(offered) },
  )
  server.setRequestHandler(ListToolsRequestSchema, (request) => pageOf(offered, request.params?.cursor))
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: input = {} } = request.params
    const progressToken = request.params._meta?.progressToken
    const result = await findTool(offered, name).run(input, {
      signal: extra.signal,
      async progress(progress) {
        if (progressToken === undefined) return
        const params = { progressToken, ...progress }
        await extra.sendNotification({ method: 'notifications/progress', params })
      },
      toolsChanged: () => extra.sendNotification({ method: 'notifications/tools/list_changed' }),
    })
    return result as never
  })
  if (offered.resources.length > 0) {
    server.setRequestHandler(ListResourcesRequestSchema, () => listResources(offered))
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(offered, params.uri))
  }
  return server
}
