import { useQuery } from '@tanstack/react-query'
import { Paperclip, Plug } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { read } from '../../api/queries.ts'
import { loadText, translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { loadChunk } from '../../ui/chunks.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { attachResource } from './drafts.ts'

const t = translator('chat')

/** Loaded in a separate chunk with its text, because most messages have no resource. */
const ResourcesDialog = lazy(() =>
  loadChunk(async () => {
    await loadText('rest')
    return import('./resources-dialog.tsx')
  }),
)

interface AttachButtonProps {
  /** The key of the draft to which resources are attached. */
  place: string
  onFiles: (files: File[]) => void
}

/** Chooses files. If the user has connections, a menu also offers the resources of their servers. */
export function AttachButton({ place, onFiles }: AttachButtonProps) {
  const { organization, may } = useHere()
  const input = useRef<HTMLInputElement>(null)
  const [isChoosing, setChoosing] = useState(false)
  const { data: connections = [] } = useQuery({
    ...read('GET /api/mcp/list_instances', { org_id: organization.id, status: 'active' }),
    enabled: may('mcp:write'),
  })
  const browse = () => input.current?.click()
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        aria-label={t('attachments.attach')}
        tabIndex={-1}
        className="hidden"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      {connections.length === 0 ? (
        <IconButton icon={Paperclip} label={t('attachments.attach')} onClick={browse} />
      ) : (
        <Menu align="start" trigger={<IconButton icon={Paperclip} label={t('attachments.add')} />}>
          <MenuItem icon={Paperclip} onSelect={browse}>
            {t('attachments.attach')}
          </MenuItem>
          <MenuItem icon={Plug} onSelect={() => setChoosing(true)}>
            {t('attachments.attachResource')}
          </MenuItem>
        </Menu>
      )}
      {isChoosing && (
        <Suspense>
          <ResourcesDialog
            connections={connections}
            onChoose={(connectionId, resource) => attachResource(place, connectionId, resource)}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </>
  )
}
