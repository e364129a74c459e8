import type { Upload } from '@parley/client/schemas'
import { FileText } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { formatBytes } from '../../ui/format.ts'

const t = translator('chat')

/** The files of a message. `isOwn`: whether the message is the user's, which is aligned to the right. */
export const Files = ({ files, isOwn = false }: { files: readonly Upload[]; isOwn?: boolean }) => (
  <ul
    aria-label={t('messages.files')}
    className={`flex max-w-full flex-wrap gap-2 ${isOwn ? 'justify-end' : ''}`}
  >
    {files.map((file) => (
      <li key={file.id} className="min-w-0">
        <a
          href={file.url}
          target="_blank"
          rel="noopener noreferrer"
          title={file.filename}
          className="block max-w-full overflow-hidden rounded-xl border border-line hover:border-line-strong"
        >
          {isPicture(file) ? (
            <img src={file.url} alt={file.filename} loading="lazy" className="h-36 max-w-60 object-cover" />
          ) : (
            <FileName name={file.filename} size={file.size} />
          )}
        </a>
      </li>
    ))}
  </ul>
)

const isPicture = ({ content_type }: Upload): boolean =>
  content_type.startsWith('image/') && content_type !== 'image/svg+xml'

export const FileName = ({ name, size }: { name: string; size?: number }) => (
  <span className="flex items-center gap-2.5 bg-raised px-3 py-2 text-sm">
    <FileText aria-hidden size={18} className="shrink-0 text-muted" />
    <span className="flex min-w-0 flex-col leading-tight">
      <span className="max-w-56 truncate">{name}</span>
      {size !== undefined && <span className="text-xs text-muted">{formatBytes(size)}</span>}
    </span>
  </span>
)
