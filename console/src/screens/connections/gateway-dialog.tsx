import type { McpInstance } from '@parley/client/schemas'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import { clientConfig } from './client-config.ts'
import { nameOf } from './connection-words.ts'

/** An address at which another MCP client uses the account, for an hour. */
export function GatewayDialog({ instance, onClose }: { instance: McpInstance; onClose: () => void }) {
  const make = useChange('POST /api/mcp/generate_url')
  return (
    <Dialog
      open
      onClose={onClose}
      title="Use in another MCP client"
      description={`Claude, Cursor and others can use your ${nameOf(instance)} account at an address that Parley makes for you.`}
    >
      <p className="rounded-xl bg-warning-soft p-4 text-sm text-warning">
        Anyone who has this address can use your account. It expires after one hour, and earlier when you
        disconnect or sign out.
      </p>
      {make.data ? (
        <Address url={make.data.mcp_url} slug={instance.toolkit_slug} />
      ) : (
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={make.isPending}
            onClick={() =>
              make.mutate({ body: { server_id: instance.mcp_server_id, session_id: instance.id } })
            }
          >
            Make an address
          </Button>
        </div>
      )}
      {make.error && <Failure error={make.error} />}
    </Dialog>
  )
}

const Address = ({ url, slug }: { url: string; slug: string }) => (
  <div className="flex min-w-0 flex-col gap-2">
    <h3 className="text-sm font-medium">The address</h3>
    <Snippet label="address" code={url} />
    <h3 className="pt-2 text-sm font-medium">In a client's settings</h3>
    <p className="text-sm text-muted">
      For example in mcp.json of Cursor, or where Claude adds a connector by its address:
    </p>
    <Snippet label="settings" code={clientConfig(slug, url)} />
  </div>
)
