import type { McpInstance } from '@parley/client/schemas'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import { clientConfig } from './client-config.ts'
import { nameOf } from './connection-words.ts'

const t = translator('connections')

/** Creates a URL that is valid for an hour. Another MCP client can use the connected account through it. */
export function GatewayDialog({ instance, onClose }: { instance: McpInstance; onClose: () => void }) {
  const create = useChange('POST /api/mcp/generate_url')
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('client.title')}
      description={t('client.description', { name: nameOf(instance) })}
    >
      <p className="rounded-xl bg-warning-soft p-4 text-sm text-warning">{t('client.accessWarning')}</p>
      {create.data ? (
        <Address url={create.data.mcp_url} slug={instance.toolkit_slug} />
      ) : (
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            kind="primary"
            busy={create.isPending}
            onClick={() =>
              create.mutate({ body: { server_id: instance.mcp_server_id, session_id: instance.id } })
            }
          >
            {t('client.create')}
          </Button>
        </div>
      )}
      {create.error && <Failure error={create.error} />}
    </Dialog>
  )
}

const Address = ({ url, slug }: { url: string; slug: string }) => (
  <div className="flex min-w-0 flex-col gap-2">
    <h3 className="text-sm font-medium">{t('client.url')}</h3>
    <Snippet label={t('client.url')} code={url} />
    <h3 className="pt-2 text-sm font-medium">{t('client.configurationTitle')}</h3>
    <p className="text-sm text-muted">{t('client.configurationHint')}</p>
    <Snippet label={t('client.configuration')} code={clientConfig(slug, url)} />
  </div>
)
