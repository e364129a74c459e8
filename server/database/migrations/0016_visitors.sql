ALTER TABLE "users" ADD CONSTRAINT "users_visitors" CHECK ("users"."email" not like '%@deployment.invalid' or ("users"."password_hash" is null
    and "users"."registered_at" is null and "users"."email_verified_at" is null and not "users"."is_system_admin"));
--> statement-breakpoint
-- The user for whom the visitors of a deployment stand comes with it. His address can not be guessed, and nobody has it.
create function make_deployment_visitors() returns trigger language plpgsql as $$
begin
  insert into users (id, email, first_name, last_name)
  values (new.visitor_user_id, 'visitors+' || replace(gen_random_uuid()::text, '-', '') || '@deployment.invalid', '', '');
  return new;
end $$;
--> statement-breakpoint
create trigger agent_deployments_visitors_come before insert on agent_deployments
  for each row execute function make_deployment_visitors();
--> statement-breakpoint
-- Whoever locks chats does so in the order of their ids.
create or replace function forget_deployment_visitors() returns trigger language plpgsql as $$
begin
  perform from chats where organization_id = old.organization_id and user_id = old.visitor_user_id
    order by id for update;
  delete from users where id = old.visitor_user_id;
  return null;
end $$;
