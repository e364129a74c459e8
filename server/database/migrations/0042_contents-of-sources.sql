ALTER TABLE "kb_contents" ADD COLUMN "kb_id" uuid;
--> statement-breakpoint
INSERT INTO "kb_contents" ("id", "organization_id", "kb_id") SELECT "id", "organization_id", "kb_id" FROM "kb_sources";
--> statement-breakpoint
ALTER TABLE "kb_contents" ADD CONSTRAINT "kb_contents_kb" UNIQUE("organization_id","kb_id","id");
--> statement-breakpoint
DROP INDEX "kb_contents_abandoned";
--> statement-breakpoint
CREATE INDEX "kb_contents_abandoned" ON "kb_contents" USING btree ("kb_id") WHERE "kb_contents"."is_abandoned";
--> statement-breakpoint
ALTER TABLE "kb_documents" DROP CONSTRAINT "kb_documents_source";
--> statement-breakpoint
ALTER TABLE "kb_documents" ADD CONSTRAINT "kb_documents_contents" FOREIGN KEY ("organization_id","kb_id","source_id") REFERENCES "public"."kb_contents"("organization_id","kb_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
create function add_kb_source_contents() returns trigger language plpgsql as $$
begin
  insert into kb_contents (id, organization_id, kb_id) values (new.id, new.organization_id, new.kb_id);
  return null;
end $$;
--> statement-breakpoint
create trigger kb_sources_contents_added after insert on kb_sources for each row execute function add_kb_source_contents();
--> statement-breakpoint
-- In one statement, the deletion of a source and its documents could take over 30 seconds.
create function abandon_kb_source_contents() returns trigger language plpgsql as $$
begin
  update kb_contents c set is_abandoned = true from gone where c.id = gone.id;
  update knowledge_bases k set index_version = k.index_version + 1
  from (select distinct kb_id from gone) as g where k.id = g.kb_id;
  return null;
end $$;
--> statement-breakpoint
create trigger kb_sources_abandoned after delete on kb_sources
  referencing old table as gone for each statement execute function abandon_kb_source_contents();
