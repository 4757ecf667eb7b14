"""Generated code is listed, not read: these lines would be a finding in a log.

Traceback (most recent call last):
  File "/home/dev/job/train.py", line 30, in <module>
    double(torch.ones(4))
torch._dynamo.exc.InternalTorchDynamoError: never happened
"""

# AOT ID: ['0_backward']


def call(args):
    return args
