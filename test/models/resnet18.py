"""ResNet-18 in evaluation mode, written by hand (He et al. 2015, table 1)."""

from __future__ import annotations

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


class BasicBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut; the first one may stride."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, inputs, height, width] → [batch, outputs, height/stride, width/stride]."""
        inner = torch.relu(self.bn1(self.conv1(x)))
        inner = self.bn2(self.conv2(inner))
        return torch.relu(inner + self.downsample(x))


class ResNet18(nn.Module):
    """[batch, 3, image, image] → [batch, classes]."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        blocks: list[nn.Module] = []
        inputs = width
        for stage in range(4):
            outputs = width * 2**stage
            blocks.append(BasicBlock(inputs, outputs, 1 if stage == 0 else 2))
            blocks.append(BasicBlock(outputs, outputs, 1))
            inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return class scores."""
        features = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        return self.fc(self.avgpool(self.blocks(features)).flatten(1))


def _evaluated(model: nn.Module) -> nn.Module:
    """Give every batch norm statistics and scales that differ per channel."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d) and module.running_mean is not None:
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
            nn.init.uniform_(module.weight, 0.5, 1.0)
            nn.init.normal_(module.bias, std=0.1)
    return model.eval()


def full() -> Example:
    """ImageNet size: width 64, 1000 classes, batch 4 of 224 x 224."""
    torch.manual_seed(0)
    return _evaluated(ResNet18(64, 1000)), (torch.randn(4, 3, 224, 224),)


def reduced() -> Example:
    """Width 6 (channels 6 … 48, uneven on three and four ranks), batch 2 of 32 x 32."""
    torch.manual_seed(0)
    return _evaluated(ResNet18(6, 10)), (torch.randn(2, 3, 32, 32),)
