import type { McpInstance, McpResource } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { errorText } from '../../ui/error-text.ts'
import { formatBytes } from '../../ui/format.ts'

const t = translator('connections')

interface ResourcesDialogProps {
  connections: readonly McpInstance[]
  onChoose: (connectionId: string, resource: McpResource) => void
  onClose: () => void
}

/** Searches the resources of all connected servers, and attaches the one that the user chooses. */
export default function ResourcesDialog({ connections, onChoose, onClose }: ResourcesDialogProps) {
  return (
    <Dialog open onClose={onClose} title={t('resources.title')} description={t('resources.hint')}>
      <Command label={t('resources.title')} loop className="flex min-h-0 flex-col gap-2">
        <Command.Input
          placeholder={t('resources.search')}
          className="h-10 w-full shrink-0 rounded-lg border border-line-strong/60 bg-raised px-3"
        />
        <Command.List label={t('resources.label')} className="-mx-2 h-80 overflow-y-auto">
          <Command.Empty className="px-3 py-8 text-center text-sm text-muted">
            {t('resources.noMatch')}
          </Command.Empty>
          {connections.map((connection) => (
            <Offered
              key={connection.id}
              connection={connection}
              onChoose={(resource) => {
                onChoose(connection.id, resource)
                onClose()
              }}
            />
          ))}
        </Command.List>
      </Command>
    </Dialog>
  )
}

interface OfferedProps {
  connection: McpInstance
  onChoose: (resource: McpResource) => void
}

/** The resources of one connection. */
function Offered({ connection: { id, name, server_name }, onChoose }: OfferedProps) {
  const { data, error, isPending } = useQuery({
    ...read('GET /api/mcp/resources', { mcp_instance_id: id }),
    retry: false,
  })
  return (
    <Command.Group
      heading={name ?? server_name}
      className="px-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
    >
      {isPending && <Note>{t('resources.loading')}</Note>}
      {error && <Note>{errorText(error)}</Note>}
      {data?.resources.length === 0 && <Note>{t('resources.none')}</Note>}
      {data?.resources.map((resource) => (
        <Command.Item
          key={resource.uri}
          value={`${id} ${resource.uri}`}
          keywords={[resource.name, resource.description]}
          onSelect={() => onChoose(resource)}
          className="flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm data-[selected=true]:bg-hover"
        >
          <FileText aria-hidden size={16} className="shrink-0 text-muted" />
          <span className="flex min-w-0 grow flex-col">
            <span className="truncate font-medium">{resource.name}</span>
            <span className="truncate text-xs text-muted">{resource.description || resource.uri}</span>
          </span>
          {resource.size !== null && (
            <span className="shrink-0 text-xs text-muted tabular-nums">{formatBytes(resource.size)}</span>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

const Note = ({ children }: { children: ReactNode }) => (
  <p role="status" className="px-2 py-1.5 text-sm wrap-anywhere text-muted">
    {children}
  </p>
)
