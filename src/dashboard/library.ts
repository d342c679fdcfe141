/** The scenarios that come with the program and hold behaviors, read when somebody first looks at them. */
import { readdir, readFile } from 'node:fs/promises'
import { parseScenario } from '../scenarios/read.ts'
import type { Lesson } from './behaviors.tsx'

const FOLDER = new URL('../scenarios/', import.meta.url)

let read: Promise<Lesson[]> | undefined

export function library(): Promise<Lesson[]> {
  read ??= readLibrary()
  return read
}

async function readLibrary(): Promise<Lesson[]> {
  const files = await readdir(FOLDER).catch(() => [])
  const lessons = await Promise.all(files.filter((file) => file.endsWith('.yaml')).map(readLesson))
  return lessons
    .filter((lesson) => lesson !== undefined)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function readLesson(file: string): Promise<Lesson | undefined> {
  const yaml = await readFile(new URL(file, FOLDER), 'utf8')
  const { name, why, behaviors = [] } = parseScenario(yaml, file)
  return behaviors.length === 0 ? undefined : { file, name, why, yaml }
}
