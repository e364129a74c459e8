import { ParleyError } from '@parley/client'
import { lazy, Suspense, useState } from 'react'
import { loadChunk } from '../../ui/chunks.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { lineOf } from './error-line.ts'
import { EXAMPLES, isExample, LANGUAGE_NAMES, type Language, languageOf } from './languages.ts'
import type { ToolPart } from './tool-part.ts'

/** It is as large as the rest of the console. */
const CodeEditor = lazy(() => loadChunk(() => import('./code-editor.tsx')))

interface CodeSectionProps extends ToolPart {
  /** Of the last try to save. */
  error: Error | null
  isReadOnly: boolean
}

export function CodeSection({ tool, edit, error, isReadOnly }: CodeSectionProps) {
  const language = languageOf(tool)
  const { settings } = tool
  const { function_info: info } = settings
  const code = info.code ?? ''
  const refusal = error instanceof ParleyError && error.code === 'tool.code_invalid' ? error : null
  const setInfo = (part: Partial<typeof info>) =>
    edit({ settings: { ...settings, function_info: { ...info, ...part } } })
  return (
    <Section title="Code" description={HINTS[settings.deployment.toolkit_class ? 'class' : language]}>
      <Shape tool={tool} edit={edit} />
      <Suspense fallback={<Skeleton className="h-80" />}>
        <CodeEditor
          language={language}
          code={code}
          onCode={(text) => setInfo({ code: text })}
          isReadOnly={isReadOnly}
          wrongLine={refusal && lineOf(refusal.message)}
        />
      </Suspense>
      {refusal && <Failure error={refusal} />}
      {!settings.deployment.toolkit_class && (
        <TextField
          label="What models are told of the function"
          hint="Empty: what the tool does, as above"
          maxLength={5_000}
          value={info.description}
          onChange={({ target }) => setInfo({ description: target.value })}
        />
      )}
      {(language === 'python' || settings.requirements.length > 0) && (
        <Requirements tool={tool} edit={edit} />
      )}
    </Section>
  )
}

const HINTS = {
  javascript: 'A function at the top level, called with one object that has the inputs by name.',
  typescript: 'A function at the top level, called with one object that has the inputs by name.',
  python: 'A def or async def, called with the inputs as keyword arguments.',
  class: 'A class, made with the configuration. Its public methods are the functions that models call.',
}

/** The language, and what of the code is called. */
function Shape({ tool, edit }: ToolPart) {
  const { settings } = tool
  const { function_info: info, deployment } = settings
  const language = languageOf(tool)
  const setLanguage = (framework: Language) =>
    edit({
      settings: {
        ...settings,
        deployment: { ...deployment, framework },
        function_info: isExample(info.code ?? '') ? { ...info, code: EXAMPLES[framework] } : info,
      },
    })
  const setClass = (toolkit_class: boolean) =>
    edit({
      settings: {
        ...settings,
        deployment: { ...deployment, toolkit_class, standalone_function: !toolkit_class },
      },
    })
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <SelectField
        label="Language"
        value={language}
        onChange={({ target }) => setLanguage(target.value as Language)}
      >
        {Object.entries(LANGUAGE_NAMES).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="It is"
        value={deployment.toolkit_class ? 'class' : 'function'}
        onChange={({ target }) => setClass(target.value === 'class')}
      >
        <option value="function">one function</option>
        <option value="class">a class of functions</option>
      </SelectField>
      <TextField
        label={deployment.toolkit_class ? 'Name of the class' : 'Name of the function'}
        required
        maxLength={64}
        pattern="(?!__)[A-Za-z_][A-Za-z0-9_]*"
        title="Letters, digits and underscores, not beginning with a digit or two underscores"
        spellCheck={false}
        className="font-mono text-sm"
        value={info.name}
        onChange={({ target }) =>
          edit({ settings: { ...settings, function_info: { ...info, name: target.value } } })
        }
      />
    </div>
  )
}

function Requirements({ tool: { settings }, edit }: ToolPart) {
  const joined = settings.requirements.join(', ')
  const [text, setText] = useState(joined)
  // What is typed means the same with another comma; what is discarded does not.
  const shown = listOf(text).join() === settings.requirements.join() ? text : joined
  return (
    <TextField
      label="Packages"
      hint="Parted by commas, as numpy, pandas: those of Pyodide, and those that the operator of this installation has added"
      spellCheck={false}
      className="font-mono text-sm"
      value={shown}
      onChange={({ target }) => {
        setText(target.value)
        edit({ settings: { ...settings, requirements: listOf(target.value) } })
      }}
    />
  )
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
