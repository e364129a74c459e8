import type { Tool } from '@parley/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Ellipsis, FileUp, Plus, Tags, Wrench } from 'lucide-react'
import { type ChangeEvent, type RefObject, useRef, useState } from 'react'
import { useHere } from '../../shell/organization.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { CategoriesDialog } from './categories-dialog.tsx'
import { NewToolDialog } from './new-tool-dialog.tsx'
import type { ToolOwner } from './search-params.ts'
import { readToolFile, type ToolFile } from './tool-file.ts'
import { ToolTable } from './tool-table.tsx'
import { useCategories, useTools } from './use-tools.ts'

/** The organization's tools, and the public ones of others. */
export function Tools() {
  const { may } = useHere()
  const search = useSearch({ from: '/app/tools' })
  const tools = useTools()
  const [isMaking, setMaking] = useState(false)
  const [file, setFile] = useState<ToolFile | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isSorting, setSorting] = useState(false)
  const mayWrite = may('tool:write')
  const add = mayWrite && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New tool
    </Button>
  )
  return (
    <Page
      title="Tools"
      description="Code that agents can call while they answer. It runs in a sandbox, and reaches only the hosts that it names."
      actions={
        <>
          <Menu trigger={<IconButton icon={Ellipsis} label="More" />}>
            <MenuItem icon={Tags} onSelect={() => setSorting(true)}>
              Categories
            </MenuItem>
            {mayWrite && (
              <MenuItem icon={FileUp} onSelect={() => input.current?.click()}>
                Import from a file
              </MenuItem>
            )}
          </Menu>
          {tools.data && tools.data.length > 0 && add}
        </>
      }
    >
      <Loaded query={tools}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={Wrench} title="No tools yet" action={add}>
              With a tool an agent does more than talk: it looks something up, calls your service, works
              something out. A new one begins as an example that works.
            </Empty>
          ) : (
            <>
              <Filters />
              <ToolTable tools={all.filter((tool) => matches(tool, search))} />
              <More query={tools} />
            </>
          )
        }
      </Loaded>
      {(isMaking || file !== null) && (
        <NewToolDialog
          file={file}
          onClose={() => {
            setMaking(false)
            setFile(null)
          }}
        />
      )}
      <FileInput input={input} onFile={setFile} />
      <CategoriesDialog open={isSorting} onClose={() => setSorting(false)} />
    </Page>
  )
}

interface Filter {
  q?: string
  category_id?: string
  from?: ToolOwner
}

function Filters() {
  const { organization } = useHere()
  const { q = '', category_id = '', from = '' } = useSearch({ from: '/app/tools' })
  const navigate = useNavigate()
  const categories = useCategories()
  const filter = (part: Filter) =>
    void navigate({ from: '/tools', to: '.', search: (before) => ({ ...before, ...part }), replace: true })
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
      <div className="max-sm:col-span-2">
        <TextField
          label="Find by name or purpose"
          type="search"
          value={q}
          onChange={({ target }) => filter({ q: target.value || undefined })}
        />
      </div>
      <SelectField
        label="Category"
        value={category_id}
        onChange={({ target }) => filter({ category_id: target.value || undefined })}
      >
        <option value="">All</option>
        {categories.data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="From"
        value={from}
        onChange={({ target }) => filter({ from: (target.value || undefined) as ToolOwner | undefined })}
      >
        <option value="">All</option>
        <option value="own">{organization.name}</option>
        <option value="public">Other organizations</option>
      </SelectField>
    </div>
  )
}

function matches(tool: Tool, { q = '', category_id, from }: Filter): boolean {
  // Of others' tools nobody is told the category.
  const isOwn = tool.category_id !== null
  if (from !== undefined && isOwn !== (from === 'own')) return false
  if (category_id !== undefined && tool.category_id !== category_id) return false
  return `${tool.name}\n${tool.description}`.toLowerCase().includes(q.trim().toLowerCase())
}

interface FileInputProps {
  input: RefObject<HTMLInputElement | null>
  onFile: (file: ToolFile) => void
}

function FileInput({ input, onFile }: FileInputProps) {
  const notify = useNotify()
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = target.files ?? []
    if (!chosen) return
    try {
      onFile(await readToolFile(chosen))
    } catch (error) {
      notify(error as Error)
    }
    target.value = ''
  }
  return (
    <input
      ref={input}
      type="file"
      accept="application/json,.json"
      aria-label="File of a tool"
      className="hidden"
      onChange={(event) => void read(event)}
    />
  )
}
